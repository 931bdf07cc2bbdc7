/**
 * `npm run bench:upload`: `slipway-ci upload` of an app of 300 files through a host to S3 (Ceph), and `rclone copy` of the same files to
 * the same S3. For the first time, unchanged, and with one changed file. The sides take turns, and the middle of the rounds counts. It needs Ceph's packages
 * (`adapters/s3/testing/startCeph.ts`) and Debian's rclone.
 */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { makeCiPackage } from "../../../.config/ciPackage.ts"
import { startCeph } from "../../../adapters/s3/testing/startCeph.ts"
import { install } from "../peers/scratch.ts"
import { startSlipway } from "../peers/slipway.ts"
import { bundledIn, quantile } from "../program.ts"
import { owner, repo } from "../repository.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const rounds = values.quick ? 1 : 5
const files = 300
const works = ["first time", "unchanged", "one changed file"] as const
const root = mkdtempSync(join(tmpdir(), "slipway-bench-upload-"))
const rclone = install().program("rclone")
if (rclone === undefined) throw new Error("Debian's rclone can't be had here")
const ceph = await startCeph()
const stops = [ceph.remove]

const makeApp = (round: number): string => {
  const app = join(root, `app-${round}`)
  mkdirSync(join(app, "assets"), { recursive: true })
  writeFileSync(join(app, "main.jsbundle"), `run(${JSON.stringify(randomBytes(500_000).toString("hex"))})`)
  for (let file = 0; file < files; file += 1) writeFileSync(join(app, "assets", `${file}.png`), randomBytes(10_000))
  return app
}

const secondsOf = async (act: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await act()
  return (performance.now() - began) / 1000
}

try {
  const aws = { AWS_ACCESS_KEY_ID: ceph.accessKeyId, AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey }
  const host = await startSlipway(await bundledIn(root), root, {
    ...aws,
    SLIPWAY_S3_BUCKET: ceph.bucket,
    SLIPWAY_S3_ENDPOINT: ceph.endpoint,
    SLIPWAY_S3_REGION: ceph.region,
    SLIPWAY_S3_PREFIX: "slipway/",
    SLIPWAY_S3_FORCE_PATH_STYLE: "true",
    SLIPWAY_S3_UPLOADS: "host"
  })
  stops.push(host.stop)
  await makeCiPackage(join(root, "ci"))
  const upload = (app: string, commit: string) =>
    promisify(execFile)(process.execPath, [join(root, "ci/main.js"), "upload", "build", app, "--platform", "ios"], {
      env: {
        PATH: process.env["PATH"],
        SLIPWAY_URL: host.url,
        SLIPWAY_KEY: host.key,
        SLIPWAY_OWNER: owner,
        SLIPWAY_REPO: repo,
        SLIPWAY_BRANCH: "main",
        SLIPWAY_COMMIT: commit
      }
    })
  const copy = (app: string, round: number) =>
    promisify(execFile)(rclone, ["copy", app, `:s3:${ceph.bucket}/rclone/${round}`], {
      env: {
        RCLONE_CONFIG: "",
        RCLONE_S3_PROVIDER: "Ceph",
        RCLONE_S3_ENDPOINT: ceph.endpoint,
        RCLONE_S3_ACCESS_KEY_ID: ceph.accessKeyId,
        RCLONE_S3_SECRET_ACCESS_KEY: ceph.secretAccessKey
      }
    })
  const taken = works.map(() => ({ ours: new Array<number>(), theirs: new Array<number>() }))
  for (let round = 0; round < rounds; round += 1) {
    const app = makeApp(round)
    for (const [index, work] of works.entries()) {
      process.stderr.write(`round ${round + 1}: ${work}\n`)
      if (work === "one changed file") writeFileSync(join(app, "assets", "0.png"), randomBytes(10_000))
      taken[index]?.ours.push(await secondsOf(() => upload(app, randomBytes(20).toString("hex"))))
      taken[index]?.theirs.push(await secondsOf(() => copy(app, round)))
    }
  }
  console.log(`| upload of ${files} files | slipway-ci | rclone copy | ratio |`)
  console.log("| --- | --- | --- | --- |")
  for (const [index, work] of works.entries()) {
    const [ours, theirs] = [quantile(taken[index]?.ours ?? []), quantile(taken[index]?.theirs ?? [])]
    console.log(`| ${work} | ${ours.toFixed(2)} s | ${theirs.toFixed(2)} s | ${(theirs / ours).toFixed(2)} |`)
  }
} finally {
  for (const stop of stops.toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
}
