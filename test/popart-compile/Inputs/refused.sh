# Imports models with little memory and time, and prints the exit status of each.
#   refused.sh FOLDER NAME...
ulimit -v 4000000
ulimit -t 20
folder=$1
shift
for name in "$@"; do
  popart-compile "$folder/$name.onnx" --emit=import -o /dev/null
  echo "$name: status $?"
done
