# SPDX-License-Identifier: MIT
# The page that check-frameworks keeps: what was measured anew replaces its rows, those of other frameworks, what
# somebody wrote and other sections stay. With nothing set up nothing passes.
. "$top_srcdir/tests/lib.sh"
export top_srcdir PYTHONDONTWRITEBYTECODE=1
cat >page.md <<'END'
# Frameworks

Kept.

## Slow-down

As it was told.

Written by hand.

| framework | longer |
|---|---|
| mxnet | 1 |
| tensorflow | 2 |

## Written

Too.
END
python3 - <<'END' || fail "see above"
import importlib.machinery, importlib.util, os
loader = importlib.machinery.SourceFileLoader("page", os.environ["top_srcdir"] + "/scripts/study/check-frameworks")
page = importlib.util.module_from_spec(importlib.util.spec_from_loader("page", loader))
loader.exec_module(page)
blocks = [page.pages.Heading(2, "Slow-down"), page.pages.Paragraph("As it is told now."),
          page.pages.Table(["framework", "longer"], [["tensorflow", "3"], ["pytorch", "4"], ["together", "5"]], True)]
page.keep("page.md", blocks, ["pytorch", "tensorflow", "mxnet"])
END
cat >wanted.md <<'END'
# Frameworks

Kept.

## Slow-down

As it is told now.

Written by hand.

| framework | longer |
|---|---|
| pytorch | 4 |
| tensorflow | 3 |
| mxnet | 1 |
| together | 5 |

## Written

Too.
END
diff wanted.md page.md || fail "another page (< wanted, > kept)"

status=0
DLTRACE_FRAMEWORKS=$TMP/none "$top_srcdir/scripts/study/check-frameworks" --build "$top_builddir" --folder made mxnet 2>err ||
	status=$?
same "nothing is set up" 1 $status
grep -q 'none of them has this model and is set up' err || fail "$(cat err)"
