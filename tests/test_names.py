"""explain_names: who partitioned, where the data lie, which matrix, and the modes in words."""

from cutelab.cutlass.names import explain_names


def test_names_say_who_where_and_which():
    for name, words in {
        "tCsA": ("the tiled MMA", "shared memory", "A (M x K)"),
        "tAgA": ("the tiled copy of A", "global memory", "A (M x K)"),
        "tCrB": ("the tiled MMA", "registers", "B (N x K)"),
        "tXrA": ("retiled", "registers", "A (M x K)"),
        "tBcB": ("the tiled copy of B", "coordinates", "B (N x K)"),
        "tSrQ": ("the tiled MMA that computes S", "registers", "the queries"),
        "gC": ("global memory", "C (M x N)"),
    }.items():
        assert all(word in explain_names(name) for word in words), name
    lines = explain_names("tCsA", "((_2,_2,_2),_4,_4,_3):((_1,_512,_8),_2048,_16,_8192)").splitlines()
    assert [line.split(" = ")[0] for line in lines[1:]] == [
        "mode 0, MMA",
        "mode 1, MMA_M",
        "mode 2, MMA_K",
        "mode 3, PIPE",
    ]
    assert "broadcast" in explain_names("tAsA", "((8,1),4,2):((1,0),0,64)")
    assert "not used and is _0" in explain_names("tAsA", "((_8,_1),_8,_1):((_1,_0),_1024,_0)")
