# Message packages become C++ headers here.
