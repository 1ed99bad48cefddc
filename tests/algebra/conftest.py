import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the algebra's tests share oracle.py and text.py
