import { fieldsIn, listIn, numberIn, type Fields } from "../runtime/decode.ts"
import { interpolate } from "./interpolate.ts"

/** A node of what is animated: a value, or what is made of others. */
export interface AnimatedNode {
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

/** Values and what is computed of them, by their numbers. */
export const makeGraph = () => {
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
