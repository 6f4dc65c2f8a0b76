#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two network namespaces with names of their own are two hosts, hosta and hostb, between which MPI
# uses TCP: hosts.sh FOLDER OPTIONS... calls poprun on hosta. An agent takes the place of ssh.
set -e
folder=$1
shift
a=populus-a-$$ b=populus-b-$$
mkdir -p "$folder"
trap 'ip netns del $a; ip netns del $b' EXIT
ip netns add $a
ip netns add $b
ip link add pa$$ netns $a type veth peer name pb$$ netns $b
ip -n $a address add 10.77.1.1/24 dev pa$$
ip -n $b address add 10.77.1.2/24 dev pb$$
for device in lo pa$$; do ip -n $a link set $device up; done
for device in lo pb$$; do ip -n $b link set $device up; done
cat > "$folder/agent" <<END
#!/bin/bash
host=\$1
shift
case \$host in hosta) space=$a;; *) space=$b;; esac
exec ip netns exec \$space unshare -u sh -c "hostname \$host; \$*"
END
chmod +x "$folder/agent"
mpi="--mca plm_rsh_agent $folder/agent -x PYTHONPATH"
for layer in btl_tcp oob_tcp; do mpi="$mpi --mca ${layer}_if_include 10.77.1.0/24"; done
ip netns exec $a unshare -u sh -c 'hostname hosta; exec poprun "$@"' sh \
  --host=hosta,hostb --mpi-global-args="$mpi" "$@"
