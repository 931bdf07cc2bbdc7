import { StyleSheet, View } from "react-native"

const Bar = ({ color, style }) => <View style={[styles.bar, { backgroundColor: color }, style]} />

/** A sail above a hull. */
export const SlipsIcon = ({ color }) => (
  <View style={styles.box}>
    <View style={[styles.sail, { borderBottomColor: color }]} />
    <View style={[styles.hull, { backgroundColor: color }]} />
  </View>
)

/** Four strokes and one across: a tally. */
export const GateIcon = ({ color }) => (
  <View style={styles.box}>
    {[3, 8, 13, 18].map((left) => (
      <Bar key={left} color={color} style={[styles.upright, { left }]} />
    ))}
    <Bar color={color} style={styles.slash} />
  </View>
)

/** Two sliders. */
export const SettingsIcon = ({ color }) => (
  <View style={styles.box}>
    <Bar color={color} style={styles.track1} />
    <View style={[styles.knob, styles.knob1, { backgroundColor: color }]} />
    <Bar color={color} style={styles.track2} />
    <View style={[styles.knob, styles.knob2, { backgroundColor: color }]} />
  </View>
)

/** Points left when `turn` is 180, right otherwise. */
export const Chevron = ({ color, size = 9, turn = 0 }) => (
  <View
    style={[
      { width: size, height: size, borderTopWidth: 2, borderRightWidth: 2, borderColor: color },
      { transform: [{ rotate: `${45 + turn}deg` }], [turn === 180 ? "marginLeft" : "marginRight"]: size / 3 }
    ]}
  />
)

const styles = StyleSheet.create({
  box: { width: 24, height: 22 },
  bar: { position: "absolute", borderRadius: 1.25 },
  sail: {
    position: "absolute",
    left: 6,
    top: 0,
    borderLeftWidth: 0,
    borderRightWidth: 12,
    borderBottomWidth: 14,
    borderRightColor: "transparent",
    borderStyle: "solid"
  },
  hull: {
    position: "absolute",
    left: 2,
    top: 16,
    width: 20,
    height: 6,
    borderBottomLeftRadius: 6,
    borderBottomRightRadius: 6
  },
  upright: { top: 2, width: 2, height: 18 },
  slash: { left: -1, top: 10, width: 26, height: 2, transform: [{ rotate: "-32deg" }] },
  track1: { left: 1, top: 5, width: 22, height: 2.5 },
  track2: { left: 1, top: 15, width: 22, height: 2.5 },
  knob: { position: "absolute", width: 8, height: 8, borderRadius: 4 },
  knob1: { left: 13, top: 2.25 },
  knob2: { left: 4, top: 12.25 }
})
