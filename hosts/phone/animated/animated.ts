import { fieldsIn, functionIn, listIn, numberIn, type AppFunction, type Fields } from "../runtime/decode.ts"
import { listening, type Module, type Modules } from "../modules/Host.ts"
import { driverOf } from "./driver.ts"
import { makeGraph, type AnimatedNode } from "./graph.ts"

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
