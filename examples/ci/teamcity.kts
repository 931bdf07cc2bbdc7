import jetbrains.buildServer.configs.kotlin.*
import jetbrains.buildServer.configs.kotlin.buildSteps.script

version = "2025.07"

project {
  buildType {
    name = "Test"
    vcs { root(DslContext.settingsRoot) }
    steps {
      script { scriptContent = "maestro test --test-output-dir out --format junit --output out/report.xml flows" }
      // What a team adds, with the parameters env.SLIPWAY_URL and env.SLIPWAY_KEY, a password, are these steps.
      script { executionMode = BuildStep.ExecutionMode.ALWAYS; scriptContent = """npx --yes "%env.SLIPWAY_URL%/cli/slipway-ci.tgz" import maestro out""" }
      script { executionMode = BuildStep.ExecutionMode.ALWAYS; scriptContent = """npx --yes "%env.SLIPWAY_URL%/cli/slipway-ci.tgz" comment --format markdown""" }
    }
  }
}
