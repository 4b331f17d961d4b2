/** Tolerance of the squared length of a unit vector, because of rounding to float32. */
const ROUNDING = 1e-5;

/**
 * Returns the vector scaled to length 1, because only its direction counts (clause ENTRY-20). A zero vector
 * is returned as it is and is similar to no other vector.
 */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (squares === 0 || Math.abs(squares - 1) <= ROUNDING) return vector;
  const scale = 1 / Math.sqrt(squares);
  return vector.map((component) => component * scale);
}
