from typing import Any

# Any: what types-cffi gives unpack and new is the union of all they may return, for the caller to take apart.
ffi: Any
lib: Any
