#include "dft.hpp"
namespace oxur { bool has_descriptor(const void*) {return false;} void forget_descriptor(const void*) {} }
