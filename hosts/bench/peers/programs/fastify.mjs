/**
 * What a good engineer writes for the same work on Fastify and pg: a pool, prepared statements (a query with a `name`), schemas
 * of bodies and answers. A key is looked up in each request. A reservation and a finalize are a transaction each.
 * Arguments: the database's URL, and a folder for objects.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { rename, stat } from "node:fs/promises"
import { join } from "node:path"
import fastify from "fastify"
import { Pool } from "pg"

const [, , connectionString, folder] = process.argv
const pool = new Pool({ connectionString, max: 10 })
const sha256 = (text) => createHash("sha256").update(text).digest("hex")

const findKey = `select account_id, scopes from keys where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`
const findBuild = `select id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status, created_at, updated_at
  from builds where id = $1 and account_id = $2`
const findRepository = `select id from repositories where account_id = $1 and owner = $2 and name = $3`
const upsertBuild = `insert into builds (id, account_id, repository_id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'uploading')
  on conflict (repository_id, branch, platform, commit_sha) do update set updated_at = now() returning id`
const insertReservation = `insert into reservations (id, account_id, build_id, token_hash, expires_at) values ($1, $2, $3, $4, now() + interval '1 hour')`
const lockReservation = `select id, build_id from reservations where token_hash = $1 and account_id = $2 and expires_at > now() for update`
const finishBuild = `update builds set status = 'ready', updated_at = now() where id = $1
  returning id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status, created_at, updated_at`
const finishReservation = `update reservations set finalized_at = now() where id = $1`

const query = (client, name, text, values) => client.query({ name, text, values })

/** Does the work in a transaction. */
const transaction = async (work) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const answer = await work(client)
    await client.query("commit")
    return answer
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}

const text = { type: "string" }
const build = {
  type: "object",
  properties: {
    id: text,
    url: text,
    status: text,
    owner: text,
    repo: text,
    branch: text,
    platform: text,
    commitSha: text,
    contentHash: text,
    bundleSizeBytes: { type: "integer" },
    bundleContentType: text,
    createdAt: text,
    updatedAt: text
  }
}
const wire = (row) => ({
  id: row.id,
  url: `http://127.0.0.1/builds/${row.id}`,
  status: row.status,
  owner: row.owner,
  repo: row.repo,
  branch: row.branch,
  platform: row.platform,
  commitSha: row.commit_sha,
  contentHash: row.content_hash,
  bundleSizeBytes: row.size_bytes,
  bundleContentType: row.content_type,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString()
})

const app = fastify()
app.decorateRequest("account", "")
app.addHook("onRequest", async (request, reply) => {
  const key = (request.headers.authorization ?? "").slice("Bearer ".length)
  const { rows } = await query(pool, "key", findKey, [sha256(key)])
  if (rows.length === 0) return reply.code(401).send({ code: "unauthorized" })
  if (!rows[0].scopes.includes("builds")) return reply.code(403).send({ code: "insufficient_scope" })
  request.account = rows[0].account_id
})

app.get("/api/v1/builds/:id", { schema: { response: { 200: build } } }, async (request, reply) => {
  const { rows } = await query(pool, "build", findBuild, [request.params.id, request.account])
  return rows.length === 0 ? reply.code(404).send({ code: "not_found" }) : wire(rows[0])
})

const reserveBody = {
  type: "object",
  properties: {
    owner: text,
    repo: text,
    branch: text,
    platform: text,
    commitSha: { type: "string", pattern: "^[0-9a-f]{7,64}$" },
    contentHash: { type: "string", pattern: "^[0-9a-f]{64}$" },
    bundleSizeBytes: { type: "integer", minimum: 1 },
    bundleContentType: text,
    operation: text,
    token: text
  }
}
app.post("/api/v1/builds", { schema: { body: reserveBody } }, async (request, reply) => {
  const { body, account } = request
  if (body.operation === "finalize") {
    const row = await transaction(async (client) => {
      const found = (await query(client, "lock", lockReservation, [sha256(body.token), account])).rows[0]
      const { size } = await stat(join(folder, "staging", found.id))
      const { rows } = await query(client, "finishBuild", finishBuild, [found.build_id])
      if (Number(rows[0].size_bytes) !== size) throw new Error("another size")
      await rename(join(folder, "staging", found.id), join(folder, "hosted", found.id))
      await query(client, "finishReservation", finishReservation, [found.id])
      return rows[0]
    })
    return reply.code(201).send(wire(row))
  }
  const token = randomBytes(32).toString("base64url")
  const [id, reservation] = [randomUUID(), randomUUID()]
  const buildId = await transaction(async (client) => {
    const repository = (await query(client, "repository", findRepository, [account, body.owner, body.repo])).rows[0].id
    const { branch, bundleContentType, bundleSizeBytes, commitSha, contentHash, owner, platform, repo } = body
    const values = [
      id,
      account,
      repository,
      owner,
      repo,
      branch,
      platform,
      commitSha,
      contentHash,
      bundleSizeBytes,
      bundleContentType
    ]
    const { rows } = await query(client, "upsert", upsertBuild, values)
    await query(client, "reservation", insertReservation, [reservation, account, rows[0].id, sha256(token)])
    return rows[0].id
  })
  return reply.code(201).send({
    id: buildId,
    token,
    reservation,
    url: `http://127.0.0.1/builds/${buildId}`,
    slots: {
      bundle: { putUrl: `http://127.0.0.1/objects/${reservation}?signature=${sha256(token + id)}`, method: "PUT" }
    }
  })
})

console.log(await app.listen({ host: "127.0.0.1", port: 0 }))
