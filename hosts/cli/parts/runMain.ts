/** Runs the main program of a process, and handles its signals. */
import { Effect, Runtime } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits until Ctrl-C or `kill` stops the process. For commands that run until then. */
export const shutdownSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, stop)
  return Effect.sync(() => {
    for (const signal of signals) process.removeListener(signal, stop)
  })
})

/** Runs a program as the main one of this process. A signal interrupts it, unless it waits for one with {@link shutdownSignal}. */
export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let signalled = false
  const onSignal = (signal: NodeJS.Signals) => {
    signalled = true
    if (process.listenerCount(signal) === 1) fiber.interruptUnsafe(fiber.id)
  }
  for (const signal of signals) process.on(signal, onSignal)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.removeListener(signal, onSignal)
    // Without an exit here, the process exits normally after all its output is written.
    teardown(exit, (code) => void (signalled || code !== 0 ? process.exit(code) : undefined))
  })
})
