/* SPDX-License-Identifier: MIT */
/* dltrace-report: turns traces into breakdowns, curves, tables and figures. */
int main(void)
{
	return 2;
}
