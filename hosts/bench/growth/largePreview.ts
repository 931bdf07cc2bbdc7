/** The finalize of a large preview, by Slipway and by a bare Node. */
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../../client/index.ts"
import type { Side } from "../peers/slipway.ts"
import { started, type Program } from "../program.ts"

const sizeBytes = 100 * 1024 ** 2

/** Uploads a preview with so many files of 100 MiB, and answers what finalizes it. */
export const largePreview = async ({ key, url }: Side, count: number): Promise<() => Promise<unknown>> => {
  const content = randomBytes(sizeBytes)
  const contentHash = createHash("sha256").update(content).digest("hex")
  const contentType = "application/octet-stream"
  const client = createClient({ url, key })
  const { slots, token } = await client.previews.reserve({
    contentHash,
    bundleSizeBytes: sizeBytes,
    bundleContentType: contentType,
    files: Array.from({ length: count - 1 }, (_, index) => ({
      path: `${index}.bin`,
      sizeBytes,
      contentType,
      contentHash
    }))
  })
  for (const slot of [slots.bundle, ...slots.files]) await client.put(slot, content)
  return () => client.previews.finalize(token)
}

/** Answers a small text to a GET. To a POST to `/finalize` it answers the digest of each file in its folder, two at once. */
const program = `
  import { createHash } from "node:crypto"
  import { createReadStream, readdirSync } from "node:fs"
  import { createServer } from "node:http"
  import { join } from "node:path"
  import { pipeline } from "node:stream/promises"
  const folder = process.argv[2]
  const digests = async () => {
    const next = readdirSync(folder).values()
    const found = []
    const work = async () => {
      for (const name of next) {
        const hash = createHash("sha256")
        await pipeline(createReadStream(join(folder, name)), hash)
        found.push(hash.digest("hex"))
      }
    }
    await Promise.all([work(), work()])
    return found
  }
  const server = createServer(async (request, response) => {
    request.resume().on("error", () => {})
    if (request.url === "/finalize") return response.end(JSON.stringify(await digests()))
    if (request.method === "GET") response.end("there")
  })
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

/** A bare Node beside so many files of 100 MiB, which its finalize reads. */
export const startBare = async (root: string, count: number): Promise<Program> => {
  const folder = mkdtempSync(join(root, "bare-"))
  const file = join(root, "bare.mjs")
  writeFileSync(file, program)
  const content = randomBytes(sizeBytes)
  for (let index = 0; index < count; index += 1) writeFileSync(join(folder, String(index)), content)
  return started([file, folder], { cwd: root })
}
