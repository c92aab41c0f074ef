# Reads the nonce, runs the program, and writes the nonce back only if the program ended by reaching its last line.
read -r -u 3 annotator_nonce || true
exec 3<&- 5>&4 4>&-
program=$1
shift
# The program runs in a shell of its own, which knows neither the nonce nor the descriptor; a mark on its last line
# tells its end, with the last command's status 0, from an early exit.
mark=$(head -c 16 /proc/sys/kernel/random/uuid)
annotator_status=0
{ sed "s/annotator_mark_ANNOTATOR_KEY/printf %s $mark >\&6/" "$program"; printf '\n\n(($?)) || printf %%s "%s" >&6\n' "$mark"; } >"$program.run"
exec 7>&1
reached=$( { bash "$program.run" "$@" 5>&- 6>&1 1>&7 7>&-; } ) || annotator_status=$?
if [ "$annotator_status" = 0 ] && [ "$reached" = "$mark" ]; then printf %s "$annotator_nonce" >&5; fi
exit "$annotator_status"
