# Looks at every command of the tests outside functions: one that fails is a check that failed. Some say nothing by their
# status (assignments, counters), and of some lines the tests themselves look at it.
annotator_check_ANNOTATOR_KEY() {
  case " ANNOTATOR_LINES " in *" $1 "*) return ;; esac
  local quiet='^([A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=|(local|declare|export|readonly|read|let|mapfile) )'
  local counts='^\(\(.*(\+\+|--|[^=!<>]=[^=])'
  if [[ $2 =~ $quiet || $2 =~ $counts ]]; then return; fi
  echo "check failed: $2" >&2
  exit 1
}
trap - DEBUG RETURN
trap 'annotator_check_ANNOTATOR_KEY "$LINENO" "$BASH_COMMAND"' ERR
