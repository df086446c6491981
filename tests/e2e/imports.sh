# SPDX-License-Identifier: MIT
# Frameworks of Python alone are known by what is imported, with their versions: compiled or not,
# from site-packages or a folder of the user's, in forked children too; and open() stays what it is.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3
# Itself: the first on PATH may be a script that starts others to find it.
python=$(python3 -c 'import sys; print(sys.executable)')
unset PYTHONDONTWRITEBYTECODE
site=$TMP/lib/python3.11/site-packages
for p in keras/src chainer tinygrad flax; do
	mkdir -p "$site/$p"
	: >"$site/$p/__init__.py"
done
echo 'import keras.src' >"$site/keras/__init__.py"
mkdir -p "$site/keras-3.15.1.dist-info" "$site/keras_hub-0.20.dist-info" "$site/Chainer-7.8.1-py3.8.egg-info" \
	"$site/flax-0.12.8.dist-info" "$TMP/mine/lasagne"
: >"$TMP/mine/lasagne/__init__.py"

cat >program.py <<'END'
import os, ctypes, errno, keras, lasagne
if os.fork() == 0:
    import chainer
    os._exit(0)
os.wait()
c = ctypes.CDLL(None, use_errno=True)
os.umask(0)
os.close(os.open("a", os.O_CREAT | os.O_WRONLY, 0o640))
os.close(c.open(b"b", os.O_CREAT | os.O_WRONLY, 0o604))
print(oct(os.stat("a").st_mode), oct(os.stat("b").st_mode))
print(c.open(b"none/__init__.py", os.O_RDONLY), errno.errorcode[ctypes.get_errno()])
print(c.open64(None, os.O_RDONLY), errno.errorcode[ctypes.get_errno()])
END
run() {
	PYTHONPATH=$site:$TMP/mine "$RECORD" -q "$@"
	"$REPORT" -q -f json trace >report.json
	"$REPORT" --dump trace | sed -n "s|.*proc:object .*type=8 .*name=\"$site/\(.*\)\".*|\1|p" | sort -u >packages
	rm -rf trace a b
}
PYTHONPATH=$site:$TMP/mine "$python" -B program.py >expected
cat expected
rm a b
run -o trace -- "$python" -B program.py >actual
diff expected actual || fail "open is not what it was"
list='[.processes[] | [.frameworks[] | .name + " " + (.version // "?") + " " + .role]]'
frameworks='[["Keras 3.15.1 top","Lasagne ? top"],["Keras 3.15.1 top","Lasagne ? top","Chainer 7.8.1 engine"]]'
same "from sources" "$frameworks" "$(jq -c "$list" report.json)"
same "not what is inside of packages" "chainer keras" "$(paste -s -d ' ' packages)"
run -o trace -- "$python" program.py >/dev/null
[ -e "$(ls "$site"/keras/__pycache__/__init__.*.pyc)" ] || fail "nothing compiled"
run -o trace -- "$python" program.py >/dev/null
same "compiled" "$frameworks" "$(jq -c "$list" report.json)"
same "the run's" '"Keras 3.15.1 + Lasagne"' "$(jq -c '.runs[0].framework' report.json)"

# Killed, at the level with the fewest events, without a frame of its own left.
run -l summary -o trace -- "$python" -c 'import flax, tinygrad, os, signal; os.kill(os.getpid(), signal.SIGKILL)' || true
same "killed" '[["Flax 0.12.8 top","tinygrad ? engine"]]' "$(jq -c "$list" report.json)"
holds "nothing lost" '.traces[0].lost == 0'
