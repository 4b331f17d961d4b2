/** Scales `vector` in place to length 1. Returns null for a vector of zeros, which has no direction. */
export function toUnitVector(vector: Float32Array): Float32Array | null {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (squares === 0) return null;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}
