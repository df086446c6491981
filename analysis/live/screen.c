/* SPDX-License-Identifier: MIT */
/* A terminal by curses. Left out where there is no ncursesw. */
#include "analysis/live/live.h"

#ifdef HAVE_NCURSES

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <ncurses.h>

static SCREEN *screen;
static bool colored;

static const struct { enum style style; short color; } colors[] = {
	{ STYLE_GOOD, COLOR_GREEN }, { STYLE_WARNING, COLOR_YELLOW }, { STYLE_PROBLEM, COLOR_RED },
	{ STYLE_BAR, COLOR_CYAN },
};

bool live_screen_open(bool color)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb"))
		return false;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	colored = color && has_colors();
	if (colored) {
		start_color();
		use_default_colors();
		for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
			init_pair((short)(i + 1), colors[i].color, -1);
	}
	return true;
}

void live_screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void live_screen_size(int *width, int *height)
{
	getmaxyx(stdscr, *height, *width);
}

static attr_t attributes(const struct live_line *l)
{
	attr_t a = l->cursor ? A_REVERSE : A_NORMAL;

	if (l->style == STYLE_BOLD || l->style == STYLE_PROBLEM)
		a |= A_BOLD;
	if (l->style == STYLE_DIM)
		a |= A_DIM;
	for (size_t i = 0; colored && i < sizeof(colors) / sizeof(colors[0]); i++)
		if (colors[i].style == l->style)
			a |= (attr_t)COLOR_PAIR(i + 1);
	return a;
}

void live_screen_show(const struct live_lines *l)
{
	int width, height;

	live_screen_size(&width, &height);
	erase();
	for (size_t i = 0; i < l->count && (int)i < height; i++) {
		attrset(attributes(&l->list[i]));
		mvaddstr((int)i, 0, l->list[i].text);
		if (l->list[i].cursor)
			mvchgat((int)i, 0, -1, A_REVERSE, 0, NULL);
	}
	attrset(A_NORMAL);
	refresh();
}

enum live_key live_screen_key(void)
{
	static const struct { int key; enum live_key meaning; } keys[] = {
		{ 'q', PRESSED_QUIT }, { 'Q', PRESSED_QUIT }, { KEY_UP, PRESSED_UP }, { 'k', PRESSED_UP },
		{ KEY_DOWN, PRESSED_DOWN }, { 'j', PRESSED_DOWN }, { '\r', PRESSED_PICK }, { '\n', PRESSED_PICK },
		{ KEY_ENTER, PRESSED_PICK }, { 't', PRESSED_THREADS }, { 'f', PRESSED_FUNCTIONS },
		{ 'p', PRESSED_PAUSE },
		{ ' ', PRESSED_PAUSE }, { 'h', PRESSED_HELP }, { '?', PRESSED_HELP }, { 's', PRESSED_ORDER },
		{ 'S', PRESSED_FUNCTION_ORDER }, { KEY_RESIZE, PRESSED_REDRAW }, { 'L' - 64, PRESSED_REDRAW },
	};
	int key = getch();

	if (key == 'L' - 64)
		clearok(stdscr, TRUE);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key)
			return keys[i].meaning;
	return PRESSED_NOTHING;
}

#else

bool live_screen_open(bool color)
{
	(void)color;
	return false;
}

void live_screen_close(void)
{
}

void live_screen_size(int *width, int *height)
{
	*width = *height = 0;
}

void live_screen_show(const struct live_lines *l)
{
	(void)l;
}

enum live_key live_screen_key(void)
{
	return PRESSED_NOTHING;
}

#endif
