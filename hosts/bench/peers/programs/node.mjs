/**
 * The least that Node does for the same work: `node:http`, the driver pg with prepared statements, and for objects a pipeline
 * between the socket and a file that is forced to the disk.
 * Arguments: the database's URL or "none", and a folder for objects.
 */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { open, rename, stat } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Pool } from "pg"

const [, , connectionString, folder] = process.argv
const pool = connectionString === "none" ? undefined : new Pool({ connectionString, max: 10 })
const sha256 = (text) => createHash("sha256").update(text).digest("hex")

const findKey = `select account_id, scopes from keys where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`
const findBuild = `select id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status, created_at, updated_at
  from builds where id = $1 and account_id = $2`

const read = async (request, response, id) => {
  const key = (request.headers.authorization ?? "").slice("Bearer ".length)
  const found = await pool.query({ name: "key", text: findKey, values: [sha256(key)] })
  const { rows } = await pool.query({ name: "build", text: findBuild, values: [id, found.rows[0].account_id] })
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(rows[0]))
}

const put = async (request, response, name) => {
  const file = join(folder, `${name}-${randomUUID()}`)
  await pipeline(request, createWriteStream(file, { flush: true }))
  await rename(file, join(folder, name))
  const directory = await open(folder)
  await directory.sync()
  await directory.close()
  response.writeHead(200).end()
}

const get = async (response, name) => {
  const file = join(folder, name)
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": (await stat(file)).size })
  await pipeline(createReadStream(file), response)
}

const server = createServer((request, response) => {
  const name = request.url.slice(request.url.lastIndexOf("/") + 1)
  const answered =
    request.method === "PUT"
      ? put(request, response, name)
      : request.url.startsWith("/api/v1/builds/")
        ? read(request, response, name)
        : get(response, name)
  answered.catch((error) => {
    if (!request.socket.destroyed) console.error(error)
    response.destroy()
  })
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))
