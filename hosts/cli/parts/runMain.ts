/** The main program of a process, and what signals mean to it. */
import { Effect, Runtime } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits until the process is told to stop, by Ctrl-C or `kill`: how a command ends that would run for ever. */
export const toldToStop = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, stop)
  return Effect.sync(() => {
    for (const signal of signals) process.removeListener(signal, stop)
  })
})

/** Runs a program as the main one of this process. A signal interrupts it, unless it waits for one with {@link toldToStop}. */
export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let signalled = false
  const onSignal = (signal: NodeJS.Signals) => {
    signalled = true
    if (process.listenerCount(signal) === 1) fiber.interruptUnsafe(fiber.id)
  }
  for (const signal of signals) process.on(signal, onSignal)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.removeListener(signal, onSignal)
    // Otherwise the process ends by itself, once all that it printed is written.
    teardown(exit, (code) => void (signalled || code !== 0 ? process.exit(code) : undefined))
  })
})
