import { assert, it } from "vitest"
import { bufferPool } from "./files.ts"

it("a spare buffer is there until many are in use, and again when some were given back", () => {
  const buffers = bufferPool(8)
  const taken = Array.from({ length: 31 }, () => buffers.acquire())
  const spare = buffers.acquireSpare()
  assert.strictEqual(spare?.byteLength, 8)
  assert.isUndefined(buffers.acquireSpare())
  taken.push(buffers.acquire())
  assert.isUndefined(buffers.acquireSpare())
  for (const buffer of taken.slice(0, 2)) buffers.release(buffer)
  assert.strictEqual(buffers.acquireSpare(), taken[1])
})
