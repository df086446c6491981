# SPDX-License-Identifier: MIT
# What a program moves over TCP and UDP is counted to the byte, by function; what asks in vain, looks
# ahead, goes over other sockets or into files is not, not even where a file has a socket's old number.
. "$top_srcdir/tests/lib.sh"
need jq

cat >move.py <<'E2'
import os, socket

def pair():
    listener = socket.create_server(("127.0.0.1", 0))
    a = socket.create_connection(listener.getsockname())
    b = listener.accept()[0]
    listener.close()
    return a, b

def drain(s, count):
    while count:
        count -= len(s.recv(count))

a, b = pair()
for _ in range(10):
    a.sendall(b"x" * 10000)
    drain(b, 10000)
a.send(b"y" * 100)
b.recv(100, socket.MSG_PEEK)
drain(b, 100)
b.setblocking(False)
for _ in range(50):
    try:
        b.recv(1)
    except BlockingIOError:
        pass
b.setblocking(True)
a.sendmsg([b"z" * 3000, b"z" * 2000])
assert len(b.recvmsg(5000, 0, socket.MSG_WAITALL)[0]) == 5000
assert os.writev(a.fileno(), [b"v" * 1000, b"v" * 500]) == 1500
assert os.readv(b.fileno(), [bytearray(1500)]) == 1500
u, v = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
v.bind(("127.0.0.1", 0))
u.sendto(b"u" * 700, v.getsockname())
assert len(v.recvfrom(1000)[0]) == 700
# Not a network's.
c, d = socket.socketpair()
c.sendall(b"c" * 9999)
drain(d, 9999)
with open("file", "wb") as file:
    assert os.writev(file.fileno(), [b"f" * 9999]) == 9999
# Files with the numbers of sockets: after close, and over one by dup2.
number = a.fileno()
a.close()
fd = os.open("file", os.O_WRONLY)
assert fd == number and os.writev(fd, [b"f" * 9999]) == 9999
os.dup2(fd, b.fileno())
assert os.writev(b.fileno(), [b"f" * 9999]) == 9999
print("moved")
E2
python3 move.py >expected
"$RECORD" -q -o run -- python3 move.py >out 2>err || fail "status $?: $(cat err)"
diff expected out || fail "another output"
"$REPORT" -q -o report.json run
counted() {
	jq -c "[.communication[] | select(.layer == \"network\" and .function == \"$1\") | [.calls, .bytes]] | (map(.[0]) | add), (map(.[1]) | add)" report.json | tr '\n' ' '
}
same "send" "11 100100 " "$(counted send)"
same "received" 100100 "$(counted recv | cut -d' ' -f2)"
same "sendmsg" "1 5000 " "$(counted sendmsg)"
same "recvmsg" "1 5000 " "$(counted recvmsg)"
same "writev" "1 1500 " "$(counted writev)"
same "readv" "1 1500 " "$(counted readv)"
same "sendto" "1 700 " "$(counted sendto)"
same "recvfrom" "1 700 " "$(counted recvfrom)"
holds "a kind of its own" '[.breakdown[] | select(.layer == "network").kind] | unique == ["transfer"]'
"$REPORT" -q --dump run >dump
id=$(sed -n 's/.*dltrace_proc:function .*function=\([0-9]*\) .*name="send".*/\1/p' dump | head -1)
same "events of send" 10 "$(grep -c "dltrace_comm:call .*function=$id .*bytes=10000 " dump)"
same "events are those of 4 KiB and more" "" "$(sed -n 's/.*dltrace_comm:call .*bytes=\([0-9]*\) .*/\1/p' dump | awk '$1 < 4096')"
"$REPORT" -q --verify run >verified || fail "not verified: $(cat verified)"
