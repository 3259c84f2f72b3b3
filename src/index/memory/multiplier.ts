// What tables of fixed size multiply by, to find a place.

/**
 * 2^32 by the golden ratio: bits everywhere, and odd, so that no two numbers of 32 bits have one product.
 */
export const MULTIPLIER = 0x9e3779b1;
