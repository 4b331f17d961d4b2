/** Squares of a vector of length 1 add up to 1, rounded to float32, give or take this. */
const ROUNDING = 1e-5;

/** A caller's vector with length 1, as only its direction counts (clause ENTRY-20); zeros stay, near to none. */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (squares === 0 || Math.abs(squares - 1) <= ROUNDING) return vector;
  const scale = 1 / Math.sqrt(squares);
  return vector.map((component) => component * scale);
}
