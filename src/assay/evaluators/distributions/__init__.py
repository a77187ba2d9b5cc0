"""How alike a system's texts and human texts are as wholes."""
