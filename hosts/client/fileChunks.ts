import { open } from "node:fs/promises"

const readBytes = 256 * 1024

/**
 * Reads a file into the same memory again and again, which is no larger than the file: new memory for each piece, or much for a small
 * file, is collected late, and adds up.
 */
export async function* fileChunks(path: string | URL): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const memory = new Uint8Array(Math.min(readBytes, (await file.stat()).size + 1))
    for (;;) {
      const { bytesRead } = await file.read(memory)
      if (bytesRead === 0) return
      yield memory.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
