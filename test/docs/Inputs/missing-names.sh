# Prints the words of standard input that none of the pages has.
count=0
while read -r name; do
  count=$((count + 1))
  grep -q -w -e "$name" "$@" || echo "missing: $name"
done
echo "$count names"
