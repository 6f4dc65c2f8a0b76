# Prints what a function of a shared object returns: call.py LIBRARY FUNCTION
import ctypes
import sys

print(ctypes.CDLL(sys.argv[1])[sys.argv[2]]())
