import { createContext, useContext } from "react"

/** What a new session starts with. Settings live in memory: a sandboxed frame has no storage. */
export const defaults = {
  officer: "Mara Quill",
  handover: "",
  feet: false,
  powerAlerts: true,
  appearance: "system"
}

export const SettingsContext = createContext({ ...defaults, change: () => {} })

/** The settings, and `change` to replace some of them. */
export const useSettings = () => useContext(SettingsContext)

/** A length in metres, written the way the settings ask for. */
export const formatLength = (metres, feet) => (feet ? `${(metres / 0.3048).toFixed(1)} ft` : `${metres.toFixed(1)} m`)
