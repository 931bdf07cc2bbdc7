import { listIn, numberIn, type Fields } from "../runtime/decode.ts"

/** Where an animated value is at a time, in milliseconds since it began; and whether it has arrived. */
type Driver = (time: number) => { readonly value: number; readonly isDone: boolean }

const frameLength = 1000 / 60

/** Frames that the app computed, one for each sixtieth of a second. */
const frames = (config: Fields, from: number): Driver => {
  const all = listIn(config["frames"]).map(Number)
  const to = numberIn(config["toValue"]) ?? 0
  const last = all.length - 1
  return (time) => {
    const at = Math.min(time / frameLength, last)
    const before = Math.floor(at)
    const here = all[before] ?? 1
    const progress = here + ((all[before + 1] ?? here) - here) * (at - before)
    return { value: from + (to - from) * progress, isDone: at >= last }
  }
}

/** A spring, by its exact solution. */
const spring = (config: Fields, from: number): Driver => {
  const number = (name: string, otherwise: number) => numberIn(config[name]) ?? otherwise
  const [stiffness, damping, mass] = [number("stiffness", 100), number("damping", 10), number("mass", 1)]
  const to = number("toValue", 0)
  const natural = Math.sqrt(stiffness / mass)
  const ratio = damping / (2 * Math.sqrt(stiffness * mass))
  const away = to - from
  const speed = -number("initialVelocity", 0)
  const isClamped = config["overshootClamping"] === true
  const restAt = number("restDisplacementThreshold", 0.001)
  const restSpeed = number("restSpeedThreshold", 0.001)

  /** How far it is from where it goes, and how fast. */
  const motion = (seconds: number): readonly [distance: number, velocity: number] => {
    if (ratio < 1) {
      const swing = natural * Math.sqrt(1 - ratio * ratio)
      const envelope = Math.exp(-ratio * natural * seconds)
      const [sine, cosine] = [Math.sin(swing * seconds), Math.cos(swing * seconds)]
      const side = (speed + ratio * natural * away) / swing
      const distance = envelope * (side * sine + away * cosine)
      const velocity = -ratio * natural * distance + envelope * swing * (side * cosine - away * sine)
      return [distance, velocity]
    }
    const envelope = Math.exp(-natural * seconds)
    const pull = speed + natural * away
    const distance = envelope * (away + pull * seconds)
    return [distance, envelope * pull - natural * distance]
  }

  return (time) => {
    const [distance, velocity] = motion(time / 1000)
    const isOver = isClamped && stiffness !== 0 && Math.sign(distance) !== Math.sign(away) && away !== 0
    const isAtRest = Math.abs(velocity) <= restSpeed && (stiffness === 0 || Math.abs(distance) <= restAt)
    const isDone = isOver || isAtRest
    return { value: isDone && stiffness !== 0 ? to : to - distance, isDone }
  }
}

/** What was thrown, and is ever slower. */
const decay = (config: Fields, from: number): Driver => {
  const rate = 1 - (numberIn(config["deceleration"]) ?? 0.997)
  const velocity = numberIn(config["velocity"]) ?? 0
  let last = from
  return (time) => {
    const value = from + (velocity / rate) * (1 - Math.exp(-rate * time))
    const isDone = time > 0 && Math.abs(value - last) < 0.1
    last = value
    return { value, isDone }
  }
}

/** What drives an animated value from where it is, as the app configured it. */
export const driverOf = (config: Fields, from: number): Driver => {
  switch (config["type"]) {
    case "frames":
      return frames(config, from)
    case "spring":
      return spring(config, from)
    case "decay":
      return decay(config, from)
    default:
      return () => ({ value: numberIn(config["toValue"]) ?? from, isDone: true })
  }
}
