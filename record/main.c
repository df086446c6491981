/* SPDX-License-Identifier: MIT */
/* dltrace-record: runs a command and records what it does with the machine. */
int main(void)
{
	return 125;
}
