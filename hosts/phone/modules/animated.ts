/** Animations that run without the app: values, what is computed of them, and what drives them. */
import { type AppFunction, type Fields, fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { listening, type Module, type Modules } from "./Host.ts"

/** NativeAnimated: animations that run without the app, and are drawn past React. */
export const animated: Modules = ({ callable, calls, events, surface }) => {
  const graph = makeGraph()
  const { nodes } = graph
  const running = new Map<number, Animation>()
  const mappings: Array<Mapping> = []
  let frame = 0

  const tell = (node: AnimatedNode): void => {
    const value = node.value + node.offset
    if (!node.isListenedTo || node.reportedValue === value) return
    node.reportedValue = value
    callable.emit("onAnimatedValueUpdate", { tag: node.tag, value, offset: node.offset })
  }

  /** Values that trackings follow: each change starts an animation to the new value. */
  const follow = (): void => {
    for (const node of nodes.values()) {
      if (node.config["type"] !== "tracking") continue
      const to = Number(graph.valueOf(node.config["toValue"])) || 0
      if (node.reportedValue === to) continue
      node.reportedValue = to
      const [id, tag] = [numberIn(node.config["animationId"]) ?? 0, numberIn(node.config["value"]) ?? 0]
      start(id, tag, { ...fieldsIn(node.config["animationConfig"]), toValue: to }, undefined)
    }
  }

  const draw = (): void => {
    follow()
    for (const node of nodes.values()) {
      if (node.view !== undefined) {
        const mounted = surface.tree.byTag.get(node.view)
        if (mounted !== undefined) surface.animate(mounted, fieldsIn(graph.valueOf(node.tag)))
      } else if (node.config["type"] === "value") tell(node)
    }
  }

  const finish = (animation: Animation, isFinished: boolean): void => {
    running.delete(animation.id)
    const node = nodes.get(animation.tag)
    const { ended } = animation
    const result = { finished: isFinished, value: node?.value ?? 0, offset: node?.offset ?? 0 }
    if (ended !== undefined) calls.outside(() => calls.call(ended, result))
    else callable.emit("onNativeAnimatedModuleAnimationFinished", [{ animationId: animation.id, ...result }])
  }

  const advance = (animation: Animation, now: number): void => {
    const node = nodes.get(animation.tag)
    if (node === undefined) {
      running.delete(animation.id)
      return
    }
    if (animation.began === undefined) {
      animation.began = now
      animation.from = animation.drive === undefined ? node.value : animation.from
      animation.drive = driverOf(animation.config, animation.from)
    }
    const { isDone, value } = animation.drive?.(now - animation.began) ?? { isDone: true, value: node.value }
    node.value = value
    if (!isDone) return
    animation.left -= animation.left > 0 ? 1 : 0
    if (animation.left === 0) finish(animation, true)
    else {
      animation.began = undefined
      node.value = animation.from
    }
  }

  const step = (now: number): void => {
    frame = 0
    for (const animation of running.values()) advance(animation, now)
    draw()
    if (running.size > 0) wake()
  }

  const wake = (): void => {
    frame ||= requestAnimationFrame(step)
  }

  const start = (id: number, tag: number, config: Fields, ended: unknown): void => {
    // A value follows one animation at a time.
    for (const other of running.values()) if (other.tag === tag) finish(other, false)
    running.set(id, {
      id,
      tag,
      config,
      ended: functionIn(ended),
      began: undefined,
      from: 0,
      left: numberIn(config["iterations"]) ?? 1,
      drive: undefined
    })
    wake()
  }

  const change = (tag: number, set: (node: AnimatedNode) => void): void => {
    const node = nodes.get(tag)
    if (node === undefined) return
    set(node)
    wake()
  }

  events.listen((family, name, payload) => {
    let isHeard = false
    for (const { event, path, tag, view } of mappings) {
      if (view !== family.tag || event !== name) continue
      const value = dig(payload, path)
      const node = nodes.get(tag)
      if (value === undefined || node === undefined) continue
      for (const other of running.values()) if (other.tag === tag) finish(other, false)
      node.value = value
      isHeard = true
    }
    // What is scrolled and what follows it are drawn together.
    if (isHeard) draw()
  })

  const module: Module = {
    ...listening,
    startOperationBatch: () => {},
    finishOperationBatch: wake,
    createAnimatedNode: (tag: number, config: Fields) => {
      graph.create(tag, config)
      wake()
    },
    updateAnimatedNodeConfig: (tag: number, config: Fields) =>
      change(tag, (node) => {
        node.config = config
      }),
    getValue: (tag: number, callback: AppFunction) => calls.call(callback, graph.valueOf(tag) ?? 0),
    startListeningToAnimatedNodeValue: (tag: number) =>
      change(tag, (node) => {
        node.isListenedTo = true
        node.reportedValue = node.value + node.offset
      }),
    stopListeningToAnimatedNodeValue: (tag: number) =>
      change(tag, (node) => {
        node.isListenedTo = false
      }),
    connectAnimatedNodes: (parent: number, child: number) =>
      change(child, (node) => {
        node.parents = [...node.parents, parent]
      }),
    disconnectAnimatedNodes: (parent: number, child: number) =>
      change(child, (node) => {
        node.parents = node.parents.filter((one) => one !== parent)
      }),
    startAnimatingNode: start,
    stopAnimation: (id: number) => {
      const animation = running.get(id)
      if (animation !== undefined) finish(animation, false)
    },
    setAnimatedNodeValue: (tag: number, value: number) =>
      change(tag, (node) => {
        for (const other of running.values()) if (other.tag === tag) finish(other, false)
        node.value = value
      }),
    setAnimatedNodeOffset: (tag: number, offset: number) =>
      change(tag, (node) => {
        node.offset = offset
      }),
    flattenAnimatedNodeOffset: (tag: number) =>
      change(tag, (node) => {
        node.value += node.offset
        node.offset = 0
      }),
    extractAnimatedNodeOffset: (tag: number) =>
      change(tag, (node) => {
        node.offset += node.value
        node.value = 0
      }),
    connectAnimatedNodeToView: (tag: number, view: number) =>
      change(tag, (node) => {
        node.view = view
      }),
    disconnectAnimatedNodeFromView: (tag: number, view: number) =>
      change(tag, (node) => {
        node.view = undefined
        const mounted = surface.tree.byTag.get(view)
        if (mounted !== undefined) surface.animate(mounted, {})
      }),
    restoreDefaultValues: () => {},
    dropAnimatedNode: (tag: number) => nodes.delete(tag),
    addAnimatedEventToView: (view: number, event: string, mapping: Fields) => {
      mappings.push({
        view,
        event: eventName(event),
        path: listIn(mapping["nativeEventPath"]).map(String),
        tag: numberIn(mapping["animatedValueTag"]) ?? -1
      })
    },
    removeAnimatedEventFromView: (view: number, event: string, tag: number) => {
      const at = mappings.findIndex(
        (one) => one.view === view && one.event === eventName(event) && (one.tag === tag || tag === undefined)
      )
      if (at >= 0) mappings.splice(at, 1)
    }
  }
  return { NativeAnimatedModule: module, NativeAnimatedTurboModule: module }
}

interface Animation {
  readonly id: number
  readonly tag: number
  readonly config: Fields
  readonly ended: AppFunction | undefined
  began: number | undefined
  from: number
  left: number
  drive: ReturnType<typeof driverOf> | undefined
}

interface Mapping {
  readonly view: number
  readonly event: string
  readonly path: ReadonlyArray<string>
  readonly tag: number
}

const dig = (payload: Fields, path: ReadonlyArray<string>): number | undefined => {
  let at: unknown = payload
  for (const name of path) at = fieldsIn(at)[name]
  return numberIn(at)
}

const eventName = (name: string): string => name.replace(/^on(?=[A-Z])/, "top")

/** Values and what is computed of them, by their numbers. */
const makeGraph = () => {
  const nodes = new Map<number, AnimatedNode>()

  const numeric = (tag: unknown): number => Number(valueOf(tag)) || 0

  const inputs = (config: Fields): ReadonlyArray<number> => listIn(config["input"]).map(numeric)

  const each = (config: unknown): Record<string, unknown> =>
    Object.fromEntries(Object.entries(fieldsIn(config)).map(([name, tag]) => [name, valueOf(tag)]))

  const style = (config: Fields): Fields => {
    const made: Record<string, unknown> = {}
    for (const [name, tag] of Object.entries(fieldsIn(config["style"]))) {
      const isTransform = isTag(tag) && nodes.get(tag)?.config["type"] === "transform"
      made[isTransform ? "transform" : name] = valueOf(tag)
    }
    return made
  }

  const props = (config: Fields): Fields => {
    const { style, ...others } = each(config["props"])
    return { ...others, ...fieldsIn(style) }
  }

  /** An object in whose depths there are nodes. */
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== "object" || value === null) return value
    const fields = fieldsIn(value)
    if (isTag(fields["nodeTag"])) return valueOf(fields["nodeTag"])
    return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, resolved(one)]))
  }

  const diffClamp = (node: AnimatedNode): number => {
    const { config } = node
    const now = numeric(config["input"])
    const moved = now - (node.reportedValue ?? now)
    node.reportedValue = now
    const [least, most] = [numberIn(config["min"]) ?? 0, numberIn(config["max"]) ?? 0]
    node.value = Math.min(Math.max(node.value + moved, least), most)
    return node.value
  }

  const valueOf = (tag: unknown): unknown => {
    const node = isTag(tag) ? nodes.get(tag) : undefined
    if (node === undefined) return undefined
    const { config } = node
    switch (config["type"]) {
      case "value":
        return node.value + node.offset
      case "interpolation":
        return interpolate(config, numeric(node.parents[0] ?? config["parent"]))
      case "addition":
        return inputs(config).reduce((one, other) => one + other)
      case "subtraction":
        return inputs(config).reduce((one, other) => one - other)
      case "multiplication":
        return inputs(config).reduce((one, other) => one * other)
      case "division":
        return inputs(config).reduce((one, other) => (other === 0 ? 0 : one / other))
      case "modulus": {
        const by = numberIn(config["modulus"]) ?? 1
        return ((numeric(config["input"]) % by) + by) % by
      }
      case "diffclamp":
        return diffClamp(node)
      case "color": {
        const part = (name: string) => Math.round(numeric(config[name])) & 255
        return ((Math.round(numeric(config["a"]) * 255) << 24) | (part("r") << 16) | (part("g") << 8) | part("b")) >>> 0
      }
      case "transform":
        return listIn(config["transforms"])
          .map(fieldsIn)
          .map((step) => ({
            [String(step["property"])]: step["type"] === "animated" ? valueOf(step["nodeTag"]) : step["value"]
          }))
      case "style":
        return style(config)
      case "props":
        return props(config)
      case "object":
        return resolved(config["value"])
      default:
        return undefined
    }
  }

  return {
    nodes,
    valueOf,
    create: (tag: number, config: Fields): void => {
      nodes.set(tag, {
        tag,
        config,
        value: numberIn(config["value"]) ?? 0,
        offset: numberIn(config["offset"]) ?? 0,
        parents: [],
        view: undefined,
        isListenedTo: false,
        reportedValue: undefined
      })
    }
  }
}

/** A node of what is animated: a value, or what is made of others. */
interface AnimatedNode {
  readonly tag: number
  config: Fields
  value: number
  offset: number
  parents: ReadonlyArray<number>
  /** The view whose properties it sets. */
  view: number | undefined
  isListenedTo: boolean
  reportedValue: number | undefined
}

const isTag = (value: unknown): value is number => typeof value === "number"

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

/** Where an animated value is at a time, in milliseconds since it began; and whether it has arrived. */
type Driver = (time: number) => { readonly value: number; readonly isDone: boolean }

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

const frameLength = 1000 / 60

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

/** What a value becomes by an interpolation as React Native configures it. */
export const interpolate = (config: Fields, value: number): unknown => {
  const inputs = listIn(config["inputRange"]).map(Number)
  const outputs = listIn(config["outputRange"])
  let upper = 1
  while (upper < inputs.length - 1 && value > (inputs[upper] ?? 0)) upper += 1
  const [low = 0, high = 0] = [inputs[upper - 1], inputs[upper]]
  const beyond = value < low ? config["extrapolateLeft"] : value > high ? config["extrapolateRight"] : undefined
  if (beyond === "identity") return value
  const clamped = beyond === "clamp" ? Math.min(Math.max(value, low), high) : value
  const at = high === low ? (clamped <= low ? 0 : 1) : (clamped - low) / (high - low)
  return mix(outputs[upper - 1], outputs[upper], at, config["outputType"] === "color")
}

const mix = (from: unknown, to: unknown, at: number, isColor: boolean): unknown => {
  const [start, end] = [numberIn(from), numberIn(to)]
  if (start !== undefined && end !== undefined) return isColor ? mixColors(start, end, at) : start + (end - start) * at
  return mixTexts(textIn(from) ?? "", textIn(to) ?? "", at)
}

const mixColors = (from: number, to: number, at: number): number => {
  let mixed = 0
  for (const shift of [24, 16, 8, 0]) {
    const [one, other] = [(from >>> shift) & 255, (to >>> shift) & 255]
    mixed |= Math.max(0, Math.min(255, Math.round(one + (other - one) * at))) << shift
  }
  return mixed >>> 0
}

/** Texts of the same shape: the numbers in them are what differs. */
const mixTexts = (from: string, to: string, at: number): string => {
  const ends = (to.match(numbers) ?? []).map(Number)
  let next = 0
  return from.replace(numbers, (text) => {
    const start = Number(text)
    const end = ends[next++] ?? start
    return String(start + (end - start) * at)
  })
}

const numbers = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/g
