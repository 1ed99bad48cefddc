"""What the course's kernels do, as numbers: tiles, layouts, blocks, and every access predicted from them. No Numba here.

TransposePlan, GemmPlan     frozen plans; `accesses()` predicts sectors and wavefronts of each access of a block
Access                      one access, planned or traced: its warp instructions, count, ideal, and the worst one in words
"""

from cutelab.plans.access import Access, Uncounted
from cutelab.plans.gemm import GemmPlan
from cutelab.plans.transpose import TransposePlan

__all__ = ["Access", "GemmPlan", "TransposePlan", "Uncounted"]
