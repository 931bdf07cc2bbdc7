/** The quantile of the normal distribution for 95 %. */
const z = 1.96

/** Wilson's 95 % interval of a share. */
export const interval = (hits: number, count: number): readonly [least: number, most: number] => {
  const share = hits / count
  const center = share + z ** 2 / (2 * count)
  const spread = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  const whole = 1 + z ** 2 / count
  return [(center - spread) / whole, (center + spread) / whole]
}
