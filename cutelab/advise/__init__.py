"""Which padding, swizzle or copy is best?"""
