"""Machine code of kernels: of a library of all of them, else numba's, made when it is needed (`jit`) and kept (`compiled`)."""
