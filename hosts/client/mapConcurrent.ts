/**
 * Does something with each item, so many at a time. When one fails the signal of the others is aborted, and the promise
 * rejects when all of them have ended, so that nothing continues in the background.
 */
export const mapConcurrent = async <A, B>(
  items: ReadonlyArray<A>,
  concurrency: number,
  signal: AbortSignal | undefined,
  run: (item: A, signal: AbortSignal, index: number) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const stop = new AbortController()
  const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const done: Array<B> = []
  const next = items.entries()
  const lanes = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const [index, item] of next) {
      both.throwIfAborted()
      try {
        // A signal of its own: Node 20 warns where many listen to one.
        done[index] = await run(item, AbortSignal.any([both]), index)
      } catch (error) {
        stop.abort(error)
        throw error
      }
    }
  })
  await Promise.allSettled(lanes)
  both.throwIfAborted()
  return done
}
