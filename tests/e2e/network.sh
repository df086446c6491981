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

# By the names that a program's calls have with -D_FORTIFY_SOURCE, and several messages at a time.
command -v gcc >/dev/null || exit 0
cat >several.c <<'C'
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
static char from[3000], to[3000];
static void check(ssize_t result, ssize_t expected)
{
	if (result != expected) {
		fprintf(stderr, "%zd instead of %zd\n", result, expected);
		exit(1);
	}
}
int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct iovec sent = { from, 1000 }, got[3] = { { to, 1000 }, { to + 1000, 1000 }, { to + 2000, 1000 } };
	struct mmsghdr out[3] = { 0 }, in[3] = { 0 };
	socklen_t length = sizeof(address);
	size_t size = atoi(argv[1]);
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);

	check(bind(b, (struct sockaddr *)&address, length), 0);
	getsockname(b, (struct sockaddr *)&address, &length);
	check(connect(a, (struct sockaddr *)&address, length), 0);
	for (int i = 0; i < 3; i++) {
		out[i].msg_hdr = (struct msghdr){ .msg_iov = &sent, .msg_iovlen = 1 };
		in[i].msg_hdr = (struct msghdr){ .msg_iov = &got[i], .msg_iovlen = 1 };
	}
	check(sendmmsg(a, out, 3, 0), 3);
	check(recvmmsg(b, in, 3, MSG_PEEK | MSG_DONTWAIT, NULL), 3);
	check(recvmmsg(b, in, 3, 0, NULL), 3);
	check(recvmmsg(b, in, 3, MSG_DONTWAIT, NULL), -1);
	check(send(a, from, 1500, 0), 1500);
	check(recv(b, to, size, MSG_PEEK), 1500);
	check(recv(b, to, size, 0), 1500);
	check(send(a, from, 2500, 0), 2500);
	check(recvfrom(b, to, size, 0, NULL, NULL), 2500);
	return 0;
}
C
gcc -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -O2 -w -o several several.c
"$RECORD" -q -o several-run -- ./several 3000 || fail "several: status $?"
"$REPORT" -q -o report.json several-run
same "three messages at once" "1 3000 1 3000 " "$(counted sendmsg)$(counted recvmsg)"
same "what is sent one by one" "2 4000 " "$(counted send)"
! nm -D several | grep -q __recv_chk || same "recv and recvfrom with a check" "1 1500 1 2500 " "$(counted recv)$(counted recvfrom)"
