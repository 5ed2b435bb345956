use std::ptr;
use std::sync::OnceLock;

use crate::ffi::api::{Api, Basics, Release};
use crate::ffi::raw::{RawError, RawRequest};

use super::error::{error_delete, error_message, error_new};
use super::instance::{report_batch_statistics, report_statistics};
use super::request::{
    input_buffer, input_properties, request_cancelled, request_correlation, request_flags,
    request_id, request_input, request_output_name, request_release,
};
use super::response::{
    factory_delete, factory_new, factory_send_flags, output_buffer, response_delete,
    response_from_factory, response_new, response_output, response_send,
};

fn basics() -> &'static Basics {
    static BASICS: OnceLock<Basics> = OnceLock::new();
    BASICS.get_or_init(|| Basics {
        api_version,
        error_new,
        error_message,
        error_delete,
    })
}

/// Returns a release with this minor version of the API.
pub(in crate::ffi) fn release(minor: u32) -> Release {
    Release::new(basics(), minor)
}

/// Returns the functions of the simulated Triton.
pub(super) fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| Api {
        release: release(19),
        set_parallel_loading: nothing2,
        model_name: nothing2,
        model_version: nothing2,
        instance_model: nothing2,
        instance_name: nothing2,
        instance_kind: nothing2,
        instance_device: nothing2,
        instance_state: nothing2,
        instance_set_state: nothing2,
        report_statistics,
        report_batch_statistics,
        request_id,
        request_cancelled,
        request_correlation,
        request_correlation_text: nothing2,
        request_flags,
        request_timeout: zero,
        request_parameter_count: zero,
        request_parameter: nothing5,
        request_input_count: one,
        request_input,
        request_output_count: one,
        request_output_name,
        request_release,
        input_properties,
        input_buffer,
        response_new,
        response_delete,
        response_output,
        response_send,
        response_set_string: nothing3,
        response_set_int: nothing3,
        response_set_bool: nothing3,
        response_set_double: nothing3,
        factory_new,
        factory_delete,
        factory_send_flags,
        response_from_factory,
        statistics_new: nothing1,
        statistics_delete: nothing1,
        statistics_set_instance: nothing2,
        statistics_set_factory: nothing2,
        statistics_set_start: nothing2,
        statistics_set_output: nothing2,
        statistics_set_end: nothing2,
        statistics_set_error: nothing2,
        report_response: nothing1,
        output_buffer,
    })
}

unsafe extern "C" fn api_version(major: *mut u32, minor: *mut u32) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { major.write(1) };
    // SAFETY: as above.
    unsafe { minor.write(19) };
    ptr::null_mut()
}

unsafe extern "C" fn nothing1<A>(_: A) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing2<A, B>(_: A, _: B) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing3<A, B, C>(_: A, _: B, _: C) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing5<A, B, C, D, E>(_: A, _: B, _: C, _: D, _: E) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn zero<N: From<u8>>(_: *mut RawRequest, number: *mut N) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { number.write(0.into()) };
    ptr::null_mut()
}

unsafe extern "C" fn one(_: *mut RawRequest, number: *mut u32) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { number.write(1) };
    ptr::null_mut()
}
