#[::pytriton::__private::python::pyo3::pymodule]
#[pyo3(name = "linear", crate = ":: pytriton :: __private :: python :: pyo3")]
fn __pytriton_python(
    module: &::pytriton::__private::python::pyo3::Bound<
        '_,
        ::pytriton::__private::python::pyo3::types::PyModule,
    >,
) -> ::pytriton::__private::python::pyo3::PyResult<()> {
    ::pytriton::__private::python::export(module)
}
