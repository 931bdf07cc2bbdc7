import type { Pack } from "../../modules/Pack.ts"

/** react-native-restart */
export const restart: Pack = {
  modules: (host) => {
    const again = (reason: unknown): void => {
      host.notes.line(typeof reason === "string" ? `The app restarts: ${reason}.` : "The app restarts.")
      host.restart()
    }
    return { RNRestart: { restart: again, Restart: again, getReason: async () => null } }
  }
}
