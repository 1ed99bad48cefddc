import cutelab

TILE = "Sw<5,0,5> o 0 o (32,32):(32,1)"  # float32, in shared memory


def test_a_warp_reads_any_column_without_conflicts():
    byte = cutelab.offsets(cutelab.parse_layout(TILE)).T * 4
    waves = cutelab.wavefronts(cutelab.WarpAccess(byte, 4))
    assert (waves.count == waves.ideal).all(), waves.explain()
