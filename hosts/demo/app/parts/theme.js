import { createContext, useContext } from "react"

const light = {
  name: "light",
  ground: "#F5F1E9",
  surface: "#FFFFFF",
  raised: "#FFFFFF",
  sunken: "#EBE5D9",
  line: "#E6DFD2",
  track: "#CFC7B8",
  ink: "#14293A",
  muted: "#5D6B76",
  accent: "#C8441E",
  onAccent: "#FFFFFF",
  deep: "#17384F",
  onDeep: "#F7F2E8",
  onDeepMuted: "#A9C1CD",
  in: { ink: "#0F5F5B", fill: "#D6EDE8" },
  due: { ink: "#855400", fill: "#FCE8C3" },
  out: { ink: "#55626C", fill: "#E7E4DC" },
  shadow: "0px 1px 2px rgba(20, 41, 58, 0.06), 0px 8px 24px rgba(20, 41, 58, 0.06)"
}

const dark = {
  name: "dark",
  ground: "#0C1822",
  surface: "#142530",
  raised: "#26404F",
  sunken: "#0F1D27",
  line: "#223744",
  track: "#3A5261",
  ink: "#EEF3F5",
  muted: "#94A7B3",
  accent: "#F0704A",
  onAccent: "#1D0D07",
  deep: "#1B3B50",
  onDeep: "#F4F1EA",
  onDeepMuted: "#A3BDCB",
  in: { ink: "#7FDCC9", fill: "#143B3C" },
  due: { ink: "#F4C66B", fill: "#3C3118" },
  out: { ink: "#A8B8C2", fill: "#22333F" },
  shadow: "0px 1px 2px rgba(0, 0, 0, 0.3)"
}

/** The two colour sets; every colour in the app is one of these. */
export const palettes = { light, dark }

export const ThemeContext = createContext(light)

/** The colours to draw with now. */
export const useTheme = () => useContext(ThemeContext)
