# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenes on Cycles' oneAPI device against its CPU device. run.py starts it in the client's Python."""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from cases import Cases  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()


def use(device):
    """Has Cycles render on a device: without one of the kind it would take the CPU, and say nothing."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    if device == "ONEAPI":
        preferences = bpy.context.preferences.addons["cycles"].preferences
        preferences.compute_device_type = "ONEAPI"
        preferences.use_oneapirt = False
        preferences.get_devices()
        for found in preferences.devices:
            found.use = found.type == "ONEAPI"
        if not any(found.use for found in preferences.devices):
            raise RuntimeError("Cycles finds no oneAPI device")
        scene.cycles.device = "GPU"


def render(make, device, size, samples):
    """The pixels of a scene: rows of red, green and blue."""
    bpy.ops.wm.read_factory_settings()
    make()
    use(device)
    scene = bpy.context.scene
    scene.cycles.samples, scene.cycles.seed = samples, 1
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x = scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.filepath = str(Path(FOLDER.name) / f"{device}.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:], np.float32).reshape(size, size, image.channels)[..., :3]
    bpy.data.images.remove(image)
    return pixels


def surface(thing, **inputs):
    """Gives a thing a material, and returns its shader and its nodes."""
    material = bpy.data.materials.new("surface")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    for name, value in inputs.items():
        shader.inputs[name.replace("_", " ")].default_value = value
    thing.data.materials.clear()
    thing.data.materials.append(material)
    return shader, material.node_tree


def cube():
    """Blender's own first scene."""


def materials():
    """Glass on a floor with a pattern, beside metal."""
    surface(bpy.data.objects["Cube"], Transmission_Weight=1.0, Roughness=0.05)
    bpy.ops.mesh.primitive_plane_add(size=20, location=(0, 0, -1))
    shader, tree = surface(bpy.context.object)
    pattern = tree.nodes.new("ShaderNodeTexChecker")
    pattern.inputs["Scale"].default_value = 12
    tree.links.new(pattern.outputs["Color"], shader.inputs["Base Color"])
    bpy.ops.mesh.primitive_uv_sphere_add(location=(2, 1, 0))
    surface(bpy.context.object, Metallic=1.0, Roughness=0.2)


def pictures():
    """A picture on a floor, interpolated, and one as the sky, not."""
    rng = np.random.default_rng(1)

    def picture(name, width, height, is_float):
        image = bpy.data.images.new(name, width, height, float_buffer=is_float)
        pixels = rng.random((height, width, 4), np.float32)
        pixels[..., 3] = 1
        image.pixels = pixels.ravel()
        image.pack()
        return image

    bpy.ops.mesh.primitive_plane_add(size=20, location=(0, 0, -1))
    shader, tree = surface(bpy.context.object)
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = picture("floor", 32, 16, False)
    tree.links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    world = bpy.context.scene.world
    world.use_nodes = True
    sky = world.node_tree.nodes.new("ShaderNodeTexEnvironment")
    sky.image, sky.interpolation = picture("sky", 8, 4, True), "Closest"
    world.node_tree.links.new(sky.outputs["Color"], world.node_tree.nodes["Background"].inputs["Color"])


def below_the_surface():
    """Light that goes through skin, and noise that shapes another surface."""
    surface(bpy.data.objects["Cube"], Subsurface_Weight=1.0, Subsurface_Scale=0.5)
    bpy.ops.mesh.primitive_uv_sphere_add(location=(2, 1, 0))
    shader, tree = surface(bpy.context.object)
    noise, bump = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("TexNoise", "Bump"))
    tree.links.new(noise.outputs["Fac"], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])


def moving():
    """A thing that moves while the shutter is open."""
    bpy.context.scene.render.use_motion_blur = True
    thing = bpy.data.objects["Cube"]
    for frame, x in ((0, -1), (2, 1)):
        thing.location.x = x
        thing.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)


def volume():
    """A cloud."""
    material = bpy.data.materials.new("cloud")
    material.use_nodes = True
    tree = material.node_tree
    cloud = tree.nodes.new("ShaderNodeVolumePrincipled")
    cloud.inputs["Density"].default_value = 2
    tree.links.new(cloud.outputs["Volume"], tree.nodes["Material Output"].inputs["Volume"])
    tree.nodes.remove(tree.nodes["Principled BSDF"])
    thing = bpy.data.objects["Cube"]
    thing.data.materials.clear()
    thing.data.materials.append(material)


# From the fourth sample on, a GPU renders several samples at once. Those of a volume are guided by the samples before them, so they
# are others than a CPU's.
MOST_SAMPLES = {volume: 3}


def scenes(cases):
    sizes = ((64, 4), (256, 32)) if cases.full else ((64, 4),)
    for make in (cube, materials, pictures, below_the_surface, volume, moving):
        for size, samples in sizes:
            samples = min(samples, MOST_SAMPLES.get(make, samples))
            name = f"{make.__name__.replace('_', ' ')}, {size} x {size}, {samples} samples"
            on = lambda device: render(make, device, size, samples)  # noqa: E731
            # A ray that just meets an edge on one side may just miss it on the other.
            cases.case(name, lambda: on("ONEAPI"), lambda: on("CPU"), 0.01)


Cases({"scenes": scenes})
