# SPDX-License-Identifier: MIT
# NVTX as a library of its own, libnvToolsExt.so.1, as CUDA has it up to 12 (scripts/setup frameworks), and PyTorch 1.
. "$top_srcdir/tests/lib.sh"
need python3

library=
for environment in cuda-12 pytorch-1.9; do
	python=$("$top_srcdir/scripts/study/study" python $environment 2>/dev/null) || continue
	library=$(find "${python%/bin/*}" -name 'libnvToolsExt*.so.1' | head -1)
	[ -z "$library" ] || break
done
[ -n "$library" ] || skip "no environment has libnvToolsExt.so.1 (scripts/setup frameworks)"
cat >program.py <<'END'
import ctypes, sys
nvtx = ctypes.CDLL(sys.argv[1])
print(nvtx.nvtxRangePushA(b"outer"), nvtx.nvtxRangePushA(b"inner"), nvtx.nvtxRangePop(), nvtx.nvtxRangePop())
nvtx.nvtxMarkA(b"saved")
END
unset NVTX_INJECTION64_PATH
python3 program.py "$library" >without
"$RECORD" -q -o trace -- python3 program.py "$library" >recorded
same "what NVTX returns" "$(cat without)" "$(cat recorded)"
"$REPORT" -q --dump trace >text
for event in 'kind=1 depth=0 open=0 .* name="outer"' 'kind=1 depth=1 open=0 .* name="inner"' 'kind=3 .* name="saved"'; do
	same "events like $event" 1 "$(grep dltrace_mark:range text | grep -c -e "$event")"
done
