/** How the phone calls the app: its functions, its modules and the tasks of its React. */
import { type AppFunction, functionIn, methodOf } from "./decode.ts"

/** What an app finds as its global object. */
export type AppGlobal = Record<string, unknown>

/**
 * How the phone calls the app. A phone and its app run concurrently, and an event never interrupts the app; here both
 * share one thread, so an event waits until the app is done.
 */
export interface Calls {
  /** Calls a function of the app; what that throws is reported as the app's, and `undefined` is answered. */
  readonly call: (call: AppFunction, ...values: ReadonlyArray<unknown>) => unknown
  /** Runs a job as soon as the app isn't running: now, or after it. */
  readonly outside: (job: () => void) => void
}

/** `report` is given what the app throws and doesn't catch. */
export const makeCalls = (report: (error: unknown) => void): Calls => {
  let depth = 0
  const waiting: Array<() => void> = []

  const call = (called: AppFunction, ...values: ReadonlyArray<unknown>): unknown => {
    depth += 1
    try {
      return called(...values)
    } catch (error) {
      report(error)
      return undefined
    } finally {
      depth -= 1
      // What waits is done after this call has answered: it may have been made by the app itself.
      if (depth === 0 && waiting.length > 0) queueMicrotask(drain)
    }
  }

  const drain = (): void => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) job()
  }

  return {
    call,
    outside: (job) => {
      if (depth > 0 || waiting.length > 0) waiting.push(job)
      else job()
    }
  }
}

/** The modules of an app that its phone calls: `AppRegistry`, emitters of events and so on. */
export interface Callable {
  readonly register: (name: string, make: AppFunction) => void
  /** The module; `undefined` when the app registered none of that name. */
  readonly module: (name: string) => unknown
  /** Sends the app an event of the device: a rotation, an opened keyboard and so on. */
  readonly emit: (event: string, ...values: ReadonlyArray<unknown>) => void
}

export const makeCallable = (app: AppGlobal, calls: Calls): Callable => {
  const makers = new Map<string, AppFunction>()
  const made = new Map<string, unknown>()

  const module = (name: string): unknown => {
    if (!made.has(name)) {
      const make = makers.get(name)
      if (make === undefined) return undefined
      made.set(name, calls.call(make))
    }
    return made.get(name)
  }

  return {
    register: (name, make) => {
      makers.set(name, make)
    },
    module,
    emit: (event, ...values) =>
      calls.outside(() => {
        const emitter = module("RCTDeviceEventEmitter") ?? app["__rctDeviceEventEmitter"]
        const emit = methodOf(emitter, "emit")
        if (emit !== undefined) calls.call(emit, event, ...values)
      })
  }
}

/** The priorities of React Native's scheduler, and how long a task of each may wait, in milliseconds. */
const timeouts: Readonly<Record<number, number>> = { 1: -1, 2: 250, 3: 5000, 4: 10_000, 5: 1e9 }

/** How long tasks run before the browser is let draw, in milliseconds. */
const slice = 5

interface Task {
  readonly priority: number
  readonly expires: number
  readonly order: number
  callback: unknown
}

/** `nativeRuntimeScheduler`: what React has its work done by. */
export const makeScheduler = (calls: Calls) => {
  const tasks: Array<Task> = []
  const channel = new MessageChannel()
  let order = 0
  let isDue = false
  let current = 3
  let began = 0

  const wake = (): void => {
    if (isDue) return
    isDue = true
    channel.port2.postMessage(undefined)
  }

  const next = (): Task | undefined => {
    let first: Task | undefined
    for (const task of tasks) {
      if (
        first === undefined ||
        task.expires < first.expires ||
        (task.expires === first.expires && task.order < first.order)
      ) {
        first = task
      }
    }
    return first
  }

  const drop = (task: Task): void => {
    const at = tasks.indexOf(task)
    if (at >= 0) tasks.splice(at, 1)
  }

  /** Runs a task; answers whether it is done. */
  const perform = (task: Task, now: number): boolean => {
    const callback = functionIn(task.callback)
    const before = current
    current = task.priority
    task.callback = undefined
    // A task that isn't done answers with what is left of it.
    const rest = callback === undefined ? undefined : calls.call(callback, task.expires <= now)
    current = before
    task.callback = typeof rest === "function" ? rest : undefined
    if (task.callback === undefined) drop(task)
    return task.callback === undefined
  }

  const runUrgent = (): void => {
    const urgent = tasks.filter(({ priority }) => priority === 1)
    for (const task of urgent) perform(task, performance.now())
  }

  const run = (): void => {
    isDue = false
    began = performance.now()
    for (let task = next(); task !== undefined; task = next()) {
      const now = performance.now()
      if (task.expires > now && now - began > slice) break
      if (!perform(task, now)) break
    }
    if (tasks.length > 0) wake()
  }
  channel.port1.addEventListener("message", run)
  channel.port1.start()

  return {
    unstable_ImmediatePriority: 1,
    unstable_UserBlockingPriority: 2,
    unstable_NormalPriority: 3,
    unstable_LowPriority: 4,
    unstable_IdlePriority: 5,
    unstable_scheduleCallback: (priority: number, callback: unknown): Task => {
      const expires = performance.now() + (timeouts[priority] ?? 5000)
      const task = { priority, expires, order: order++, callback }
      tasks.push(task)
      // What is urgent is done as soon as the app has answered, before the next key is pressed.
      if (priority === 1) queueMicrotask(runUrgent)
      wake()
      return task
    },
    unstable_cancelCallback: (task: Task): void => {
      task.callback = undefined
    },
    unstable_getCurrentPriorityLevel: (): number => current,
    unstable_shouldYield: (): boolean => performance.now() - began > slice,
    unstable_requestPaint: (): void => {},
    unstable_now: (): number => performance.now()
  }
}
