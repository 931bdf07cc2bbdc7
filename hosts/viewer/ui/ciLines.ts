/** The next step where a page has nothing to show: lines for CI, with a choice of the CI that works without a script. */
import { html, type Html } from "./html.ts"
import type { PageContext } from "./layout.ts"

/** Each CI: the name of its file in a repository, and its example. */
const providers: Readonly<Record<string, ReadonlyArray<readonly [file: string, example: string]>>> = {
  GitHub: [
    [".github/workflows/test.yml", "github.yml"],
    [".github/actions/slipway/action.yml", "action.yml"]
  ],
  GitLab: [[".gitlab-ci.yml", "gitlab.yml"]],
  CircleCI: [[".circleci/config.yml", "circleci.yml"]],
  Bitrise: [["bitrise.yml", "bitrise.yml"]],
  Buildkite: [[".buildkite/pipeline.yml", "buildkite.yml"]],
  Azure: [["azure-pipelines.yml", "azure.yml"]],
  Jenkins: [["Jenkinsfile", "Jenkinsfile"]],
  EAS: [[".eas/workflows/test.yml", "eas.yml"]],
  Codemagic: [["codemagic.yaml", "codemagic.yml"]],
  "Xcode Cloud": [["ci_scripts/ci_post_xcodebuild.sh", "ci_post_xcodebuild.sh"]],
  Bitbucket: [["bitbucket-pipelines.yml", "bitbucket.yml"]],
  Travis: [[".travis.yml", "travis.yml"]],
  Semaphore: [[".semaphore/semaphore.yml", "semaphore.yml"]],
  CodeBuild: [["buildspec.yml", "codebuild.yml"]],
  TeamCity: [[".teamcity/settings.kts", "teamcity.kts"]],
  Gitea: [[".gitea/workflows/test.yml", "gitea.yml"]],
  Woodpecker: [[".woodpecker.yml", "woodpecker.yml"]],
  Drone: [[".drone.yml", "drone.yml"]]
}

/** What is added first: the commands of any CI, and by what they differ from the examples, which import results of Maestro. */
const uses = {
  runs: {
    what: "There are no test runs yet. Add these lines to CI after your tests, also after failed ones:",
    command: "import maestro out",
    hint: " # or: import detox artifacts",
    before: undefined
  },
  builds: {
    what: "There are no builds yet. Add these lines to CI after your app is exported:",
    command: "upload build --platform ios dist",
    hint: "",
    before: "npx expo export --platform ios --no-bytecode"
  },
  previews: {
    what: "There are no previews yet; those of test runs are on the pages of the runs. Add these lines to CI after your app is exported:",
    command: "upload preview --platform ios dist",
    hint: "",
    before: "npx expo export --platform ios --no-bytecode"
  }
} as const

const host = html`<span class="this-host">https://slipway.example</span>`

/** An example, with the address of this host, and with what is added instead of test results. */
const exampleOf = (text: string, { before, command }: (typeof uses)[keyof typeof uses]): Html => {
  const own =
    before === undefined
      ? text
      : text
          .replaceAll("import maestro out", command)
          .replaceAll("maestro test --test-output-dir out --format junit --output out/report.xml flows", before)
  return html`${own
    .trimEnd()
    .split("https://slipway.example")
    .map((part, index) => html`${index === 0 ? "" : host}${part}`)}`
}

/** What an empty list of test runs, builds or previews shows: how CI adds the first one. */
export const ciLines = (
  {
    assets,
    hasPrograms
  }: Pick<PageContext, "hasPrograms"> & { readonly assets: Pick<PageContext["assets"], "examples"> },
  name: keyof typeof uses
): Html => {
  const use = uses[name]
  const program = hasPrograms === true ? '"$SLIPWAY_URL/cli/slipway-ci.tgz"' : "slipway-ci"
  const block = (label: string, lines: Html) =>
    html`<pre tabindex="0" role="group" aria-label="${label}">${lines}</pre>`
  const any = [
    "export SLIPWAY_URL=https://slipway.example",
    "export SLIPWAY_KEY=slip_… # a secret of your CI",
    `npx --yes ${program} ${use.command}${use.hint}`,
    `npx --yes ${program} comment`
  ].join("\n")
  const choice = (title: string, index: number, content: Html) =>
    html`<input
        type="radio"
        class="unseen"
        id="${name}-${index}"
        name="ci-of-${name}"
        ${index === 0 ? "checked" : ""}
      />
      <label for="${name}-${index}">${title}</label>
      <div>${content}</div>`
  // The examples load the program from the host, and that of Xcode Cloud imports the results of its tests.
  const offered = Object.entries(hasPrograms === true ? providers : {}).filter(
    ([title]) => use.before === undefined || title !== "Xcode Cloud"
  )
  return html`<p>${use.what}</p>
    <div class="ci" role="radiogroup" aria-label="Your CI">
      ${choice("Any CI", 0, block("Any CI", exampleOf(any, use)))}
      ${offered.map(([title, files], index) =>
        choice(
          title,
          index + 1,
          html`${files.map(
            ([file, example]) =>
              html`<p class="type"><code>${file}</code></p>
                ${block(file, exampleOf(assets.examples[example] ?? "", use))}`
          )}`
        )
      )}
    </div>`
}
