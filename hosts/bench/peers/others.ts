/** The peers as processes: programs that share none of our code. */
import { randomBytes, randomUUID } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../../adapters/postgres/testing/freePort.ts"
import { started } from "../program.ts"
import { owner, repo } from "../repository.ts"
import type { Scratch } from "./scratch.ts"
import { sha256, smallBundle, type Side } from "./slipway.ts"

const production = { ...process.env, NODE_ENV: "production" }

/** A connection to a database, by the peers' driver. */
export const connected = async (scratch: Scratch, connectionString: string) => {
  const { default: pg } = await import(createRequire(join(scratch.folder, "package.json")).resolve("pg"))
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

/** The rows of the peers' database that the measured requests ask for; answers the key and the id of a build. */
export const fillDatabase = async (
  scratch: Scratch,
  url: string
): Promise<{ readonly key: string; readonly build: string }> => {
  const client = await connected(scratch, url)
  await client.query(readFileSync(join(scratch.folder, "schema.sql"), "utf8"))
  const [account, repository, build, key] = [randomUUID(), randomUUID(), randomUUID(), randomBytes(24).toString("hex")]
  await client.query("insert into accounts values ($1, 'bench')", [account])
  await client.query("insert into keys values ($1, $2, $3, '{builds}', null, null)", [
    randomUUID(),
    account,
    sha256(key)
  ])
  await client.query("insert into repositories values ($1, $2, $3, $4)", [repository, account, owner, repo])
  await client.query(
    "insert into builds values ($1, $2, $3, $4, $5, 'main', 'ios', $6, $7, $8, 'text/javascript', 'ready')",
    [build, account, repository, owner, repo, "5ee0d1e5".repeat(5), sha256(smallBundle()), smallBundle().byteLength]
  )
  await client.end()
  return { key, build }
}

/** A side whose folder is deleted when it stops: it has gigabytes by then. */
const ofFolder = <One extends Side>(side: One, folder: string): One => ({
  ...side,
  stop: async () => {
    await side.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** One of our own small programs for Node, on the peers' database. */
export const startProgram = async (
  scratch: Scratch,
  file: "fastify.mjs" | "node.mjs",
  database: string,
  key: string
): Promise<Side & { readonly folder: string }> => {
  const folder = mkdtempSync(join(scratch.folder, "objects-"))
  for (const name of ["staging", "hosted"]) mkdirSync(join(folder, name))
  const { line, pid, stop } = await started([file, database, folder], { cwd: scratch.folder, env: production })
  return ofFolder({ pid, url: line, key, stop, folder }, folder)
}

/** Waits until a server that prints no line answers. */
const answering = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false
    )
    if (isUp) return
    await setTimeout(100)
  }
  throw new Error(`${url} doesn't answer`)
}

const startQuiet = async (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly url: string; readonly key: string }
): Promise<Side> => {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: "ignore" })
  const closed = once(child, "close")
  await answering(options.url)
  if (child.pid === undefined) throw new Error(`${command} didn't start`)
  return {
    pid: child.pid,
    url: options.url,
    key: options.key,
    stop: async () => {
      child.kill("SIGTERM")
      await closed
    }
  }
}

/** The cache server that teams of Turborepo run: it takes artifacts by PUT and gives them by GET. */
export const startTurborepo = async (scratch: Scratch): Promise<Side> => {
  const port = await freePort()
  const folder = mkdtempSync(join(scratch.folder, "turborepo-"))
  const env = {
    ...production,
    PORT: String(port),
    TURBO_TOKEN: "secret",
    STORAGE_PROVIDER: "local",
    STORAGE_PATH: folder,
    STORAGE_PATH_USE_TMP_FOLDER: "false",
    LOG_LEVEL: "fatal"
  }
  const main = join(scratch.folder, "node_modules/turborepo-remote-cache/dist/index.js")
  const url = `http://127.0.0.1:${port}`
  return ofFolder(await startQuiet(process.execPath, [main], { cwd: scratch.folder, env, url, key: "secret" }), folder)
}

/** nginx with one worker, which takes and gives files. Its PUT doesn't force them to the disk. */
export const startNginx = async (scratch: Scratch, nginx: string): Promise<Side> => {
  const port = await freePort()
  const folder = mkdtempSync(join(scratch.folder, "nginx-"))
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    ${process.getuid?.() === 0 ? "user root;" : ""}
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; client_max_body_size 1g; client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      keepalive_requests 1000000;
      server { listen 127.0.0.1:${port}; root ${folder}; location / { dav_methods PUT; } }
    }`
  )
  const args = ["-p", folder, "-c", join(folder, "nginx.conf")]
  const url = `http://127.0.0.1:${port}`
  return ofFolder(await startQuiet(nginx, args, { cwd: folder, env: scratch.env, url, key: "" }), folder)
}

/** The statements of a reservation and of a finalize as `fastify.mjs` has them, as a script of pgbench. */
export const reserveStatements = `
\\set n random(1, 1000000000000)
begin;
select id from repositories where account_id = (select id from accounts) and owner = '${owner}' and name = '${repo}';
insert into builds (id, account_id, repository_id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status)
  select gen_random_uuid(), account_id, id, owner, name, 'pgbench', 'ios', md5(:n::text), '${sha256(smallBundle())}', 4096, 'text/javascript', 'uploading'
  from repositories
  on conflict (repository_id, branch, platform, commit_sha) do update set updated_at = now() returning id;
insert into reservations (id, account_id, build_id, token_hash, expires_at)
  select gen_random_uuid(), account_id, id, md5(random()::text || :n::text), now() + interval '1 hour'
  from builds where branch = 'pgbench' and commit_sha = md5(:n::text) limit 1;
commit;
`
