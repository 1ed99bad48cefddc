// Prints layouts and a tensor as CuTe prints them. It needs CUTLASS's headers and a C++ compiler, and no GPU: see README.md.
#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto fixed = Layout<Shape<_4, _2>, Stride<_2, _1>>{};          // static: the type holds the numbers, {} makes an object of it
  auto open = make_layout(make_shape(4, 2), make_stride(2, 1));  // run-time integers: the same map
  auto heads = make_layout(make_shape(_128{}, _4{}, _16{}), make_stride(_64{}, _16{}, _1{}));  // token, head, number
  print_layout(fixed);
  print_layout(open);
  print(heads), print("\n"), print(heads(_, 2, _)), print("\n");
  float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  print_tensor(make_tensor(&data[0], fixed));                    // a tensor is a pointer with a layout
}
