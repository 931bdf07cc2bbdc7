import { command } from "../command/Command.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { unusable } from "../command/Stopped.ts"
import { required, settingOptions, settingsOf } from "../settings/settings.ts"

const platforms = ["ios", "android"] as const

/** `upload build`: a build of a branch, at a URL that stays the same when it is uploaded again. */
export const uploadBuild = command({
  name: "upload build",
  summary: "Uploads a bundle as the build of this commit",
  takes: "FILE",
  about: `FILE is the bundle. Prints the build's URL, which stays the same when the same commit is uploaded again.`,
  options: {
    platform: { type: "string", value: "ios|android", help: "the platform that the bundle was made for" },
    json: { type: "boolean", help: "print the whole build as JSON" },
    ...settingOptions
  },
  run: async ({ positionals, values }, context) => {
    const [path, ...more] = positionals
    if (path === undefined || more.length > 0) throw unusable("upload build takes one file.")
    const platform = platforms.find((one) => one === values.platform)
    if (platform === undefined) throw unusable("--platform must be ios or android.")
    const settings = required(await settingsOf(values, context), "owner", "repo", "branch", "commit")
    const { connect } = await import("../settings/connect.ts")
    const { resolve } = await import("node:path")
    const { branch, commit: commitSha, owner, repo } = settings
    const client = await connect(settings)
    const build = await client.builds.upload(
      {
        owner,
        repo,
        branch,
        commitSha,
        platform,
        bundle: { body: { path: resolve(context.cwd, path) }, contentType: "text/javascript" }
      },
      { signal: context.signal }
    )
    context.out(values.json === true ? JSON.stringify(build) : build.url)
    return ExitCode.done
  }
})
