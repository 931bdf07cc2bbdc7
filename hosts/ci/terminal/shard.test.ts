/** `slipway-ci shard`: no file is lost or runs twice, and no shard takes much longer than the others. */
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { hosted } from "../import/testing/hosted.ts"
import { temporaryFolder, write } from "../testing/folders.ts"
import { runCi } from "../testing/runCi.ts"
import { sharded } from "./shard.ts"

/** Numbers from 0 to 1, the same for each seed. */
const numbersOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

describe("sharded", () => {
  it.for([1, 2, 3, 4, 5])("splits a history of 300 tests evenly, with seed %d", (seed) => {
    const random = numbersOf(seed)
    // Most tests take seconds, and some minutes.
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const files = Array.from({ length: 300 }, (_, index) => `flows/${index}.yaml`)
    const durations = new Map(files.map((file) => [file, 10_000 * Math.exp(0.8 * normal())]))
    for (const count of [1, 2, 4, 7, 12]) {
      const shards = sharded(files, (file) => durations.get(file), count)
      assert.deepStrictEqual(shards.flat().toSorted(), files.toSorted())
      const sums = shards.map((own) => own.reduce((sum, file) => sum + (durations.get(file) ?? 0), 0))
      const mean = sums.reduce((sum, one) => sum + one, 0) / count
      assert.isAtMost(Math.max(...sums), 1.1 * mean)
      // The order of the files is that of a file system.
      assert.deepStrictEqual(
        sharded(files.toReversed(), (file) => durations.get(file), count),
        shards
      )
    }
  })

  it("takes an unknown file for a usual one, and shares files out evenly where nothing is known", () => {
    const known = new Map([
      ["long", 90],
      ["usual", 30],
      ["short", 30]
    ])
    assert.deepStrictEqual(
      sharded(["a", "b", "long", "short", "usual"], (file) => known.get(file), 2),
      [
        ["long", "usual"],
        ["a", "b", "short"]
      ]
    )
    assert.deepStrictEqual(
      sharded(["a", "b", "c"], () => undefined, 2),
      [["a", "c"], ["b"]]
    )
    assert.deepStrictEqual(
      sharded(["a"], () => 0, 3),
      [["a"], [], []]
    )
  })
})

describe("slipway-ci shard", () => {
  it("gives each job its own files, by the durations before the commit, whatever is registered meanwhile", async () => {
    const { client, env } = await hosted()
    const bundle = { body: new TextEncoder().encode("run()"), contentType: "text/javascript" }
    const { shareId: previewShareId } = await client.previews.upload({ bundle })
    const register = async (name: string, file: string, durationMs: number, status = "passed") => {
      const run = {
        owner: "acme",
        repo: "app",
        kind: "maestro",
        previewShareId,
        name,
        file,
        durationMs,
        status
      } as const
      return (await client.testRuns.register(run)).createdAt
    }
    const cwd = temporaryFolder()
    const flow = "appId: a\n---\n- back\n"
    for (const name of ["a", "b", "c", "d"]) write(cwd, `flows/${name}.yaml`, flow)
    write(cwd, "flows/config.yaml", "flows: []\n")
    write(cwd, "flows/parts/login.yaml", flow)
    write(cwd, "flows/e2e/cart.test.ts", "")
    await register("A", "flows/a.yaml", 90_000)
    await register("A", "flows/a.yaml", 1000, "failed")
    // The name of a file alone, as of a folder of Maestro.
    await register("B", "b", 30_000)
    await register("Cart fills", "flows/e2e/cart.test.ts", 20_000)
    const at = await register("Cart empties", "flows/e2e/cart.test.ts", 10_000)
    const before = new Date(Date.parse(at) + 1).toISOString()
    const job = (index: number, ...args: ReadonlyArray<string>) =>
      runCi(["shard", "--index", String(index), "--of", "2", ...args, "flows"], { env, cwd })
    assert.deepStrictEqual(await job(1, "--before", before), {
      code: 0,
      out: "flows/a.yaml\nflows/e2e/cart.test.ts",
      err: "Shard 1 of 2: 2 of 5 files. The durations of 3 are known."
    })
    await register("C", "flows/c.yaml", 900_000)
    assert.strictEqual((await job(2, "--before", before)).out, "flows/b.yaml\nflows/c.yaml\nflows/d.yaml")
    // Without a commit, nothing says what all jobs see.
    assert.include((await job(1)).err, "give a time that all jobs share with --before")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd })
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "a")
    assert.include((await job(1)).err, "The durations of 0 are known.")
    for (const args of [
      ["--index", "3"],
      ["--of", "0"],
      ["--before", "noon"]
    ])
      assert.strictEqual((await job(1, ...args)).code, 2, args.join(" "))
  })
})
